import type { JsonObject } from '../../kernel/index.ts';
import type { AgentAction } from '../action.ts';
import type { Harness, HarnessCall } from './harness-call.ts';
import { asObject, optionalText, readCommand, textIn, unusable } from './payload.ts';

const events: Readonly<Record<string, HarnessCall['phase']>> = {
  preToolUse: 'before',
  postToolUse: 'after',
  postToolUseFailure: 'after',
};

const harmless = /^(?:Task|WebSearch|TodoWrite|ListDir|CodebaseSearch|MCP:surety.*)$/;

function actionOf(tool: string, input: JsonObject): AgentAction {
  const path = (): string[] => {
    const found = optionalText(input, 'file_path', 'path', 'target_file');
    return found === undefined ? [] : [found];
  };
  switch (tool) {
    case 'Shell': {
      const directory = optionalText(input, 'working_directory', 'cwd');
      const command = readCommand(input);
      return { kind: 'shell', command, ...(directory ? { directory } : {}) };
    }
    case 'Write':
    case 'Edit':
      return { kind: 'edit', paths: path(), content: JSON.stringify(input) };
    case 'Delete':
      return { kind: 'delete', paths: path() };
    case 'Read':
    case 'Grep':
      return { kind: 'read', paths: path().length > 0 ? path() : ['.'] };
    case 'WebFetch':
      return { kind: 'fetch', addresses: [textIn(input, 'url')] };
    default:
      return harmless.test(tool) ? { kind: 'harmless' } : { kind: 'unknown', tool };
  }
}

export const cursor: Harness = {
  title: 'Cursor',
  read(payload) {
    const event = textIn(payload, 'hook_event_name');
    const phase = Object.hasOwn(events, event) ? events[event] : undefined;
    if (!phase) return null;
    const tool = textIn(payload, 'tool_name');
    const input = asObject(payload.tool_input ?? {}, 'tool_input');
    return {
      phase,
      session: textIn(payload, 'conversation_id'),
      call: optionalText(payload, 'tool_use_id') ?? null,
      directory: optionalText(payload, 'cwd') ?? firstRoot(payload),
      tool,
      input,
      action: actionOf(tool, input),
      response: payload.tool_output ?? null,
      failure:
        event === 'postToolUseFailure'
          ? (optionalText(payload, 'error_message') ?? 'it failed')
          : null,
    };
  },
  denial: (reason) => ({ permission: 'deny', user_message: reason, agent_message: reason }),
};

function firstRoot({ workspace_roots: roots }: JsonObject): string {
  const first = Array.isArray(roots) ? roots[0] : undefined;
  if (typeof first === 'string') return first;
  throw unusable('it has neither cwd nor workspace_roots');
}
