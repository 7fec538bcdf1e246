import type { JsonObject } from '../../kernel/index.ts';
import type { AgentAction } from '../action.ts';
import type { Harness, HarnessCall } from './harness-call.ts';
import { patchAction } from './patch-paths.ts';
import { asObject, optionalText, readCommand, textIn } from './payload.ts';

const events: Readonly<Record<string, HarnessCall['phase']>> = {
  PreToolUse: 'before',
  PostToolUse: 'after',
  PostToolUseFailure: 'after',
};

const harmless =
  /^(?:Task|Agent|TodoWrite|ExitPlanMode|EnterPlanMode|AskUserQuestion|Skill|SlashCommand|WebSearch|ToolSearch|BashOutput|TaskOutput|KillShell|KillBash|TaskStop|Task(?:Create|Get|List|Update)|update_plan|view_image|mcp__surety[\w-]*__.*)$/;

function actionOf(tool: string, input: JsonObject): AgentAction {
  switch (tool) {
    case 'Bash':
      return { kind: 'shell', command: readCommand(input) };
    case 'apply_patch':
      return patchAction(optionalText(input, 'command', 'input', 'patch') ?? '');
    case 'Edit':
    case 'Write':
    case 'MultiEdit':
      return edit(textIn(input, 'file_path'), input);
    case 'NotebookEdit':
      return edit(textIn(input, 'notebook_path'), input);
    case 'Read':
      return { kind: 'read', paths: [textIn(input, 'file_path')] };
    case 'Glob':
    case 'Grep':
    case 'LS':
      return { kind: 'read', paths: [optionalText(input, 'path') ?? '.'] };
    case 'WebFetch':
      return { kind: 'fetch', addresses: [textIn(input, 'url')] };
    default:
      return harmless.test(tool) ? { kind: 'harmless' } : { kind: 'unknown', tool };
  }
}

function edit(path: string, input: JsonObject): AgentAction {
  return { kind: 'edit', paths: [path], content: JSON.stringify(input) };
}

/** Codex has the same protocol, and calls its own tools `Bash` and `apply_patch`. */
const read = (payload: JsonObject): HarnessCall | null => {
  const event = textIn(payload, 'hook_event_name');
  const phase = Object.hasOwn(events, event) ? events[event] : undefined;
  if (!phase) return null;
  const tool = textIn(payload, 'tool_name');
  const input = asObject(payload.tool_input ?? {}, 'tool_input');
  return {
    phase,
    session: textIn(payload, 'session_id'),
    call: optionalText(payload, 'tool_use_id') ?? null,
    directory: textIn(payload, 'cwd'),
    tool,
    input,
    action: actionOf(tool, input),
    response: payload.tool_response ?? null,
    failure:
      event === 'PostToolUseFailure' ? (optionalText(payload, 'error') ?? 'it failed') : null,
  };
};

const denial = (reason: string): JsonObject => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
  },
});

export const claude: Harness = { title: 'Claude Code', read, denial };
export const codex: Harness = { title: 'Codex', read, denial };
