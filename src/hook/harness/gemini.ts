import type { JsonObject } from '../../kernel/index.ts';
import type { AgentAction } from '../action.ts';
import type { Harness, HarnessCall } from './harness-call.ts';
import { asObject, optionalText, readCommand, textIn } from './payload.ts';

const events: Readonly<Record<string, HarnessCall['phase']>> = {
  BeforeTool: 'before',
  AfterTool: 'after',
};

const harmless =
  /^(?:google_web_search|write_todos|save_memory|ask_user|activate_skill|enter_plan_mode|exit_plan_mode|get_internal_docs|mcp_surety.*)$/;

function actionOf(tool: string, input: JsonObject): AgentAction {
  switch (tool) {
    case 'run_shell_command': {
      const directory = optionalText(input, 'dir_path', 'directory');
      const command = readCommand(input);
      return { kind: 'shell', command, ...(directory ? { directory } : {}) };
    }
    case 'write_file':
    case 'replace':
      return {
        kind: 'edit',
        paths: [textIn(input, 'file_path')],
        content: JSON.stringify(input),
      };
    case 'read_file':
    case 'list_directory':
    case 'glob':
    case 'grep_search':
    case 'search_file_content':
      return {
        kind: 'read',
        paths: [optionalText(input, 'file_path', 'absolute_path', 'dir_path', 'path') ?? '.'],
      };
    case 'read_many_files':
      return { kind: 'read', paths: listedPaths(input) };
    case 'web_fetch':
      return { kind: 'fetch', addresses: addressesIn(optionalText(input, 'url', 'prompt') ?? '') };
    default:
      return harmless.test(tool) ? { kind: 'harmless' } : { kind: 'unknown', tool };
  }
}

function listedPaths({ include, paths }: JsonObject): string[] {
  const list = Array.isArray(include) ? include : paths;
  return Array.isArray(list) ? list.filter((path) => typeof path === 'string') : [];
}

/** Its prompt is a sentence with the addresses in it. */
function addressesIn(prompt: string): string[] {
  return prompt.match(/\bhttps?:\/\/[^\s"'<>)]+/gi) ?? [];
}

export const gemini: Harness = {
  title: 'Gemini CLI',
  read(payload) {
    const event = textIn(payload, 'hook_event_name');
    const phase = Object.hasOwn(events, event) ? events[event] : undefined;
    if (!phase) return null;
    const tool = textIn(payload, 'tool_name');
    const input = asObject(payload.tool_input ?? {}, 'tool_input');
    const response = payload.tool_response ?? null;
    return {
      phase,
      session: textIn(payload, 'session_id'),
      call: optionalText(payload, 'tool_call_id', 'call_id') ?? null,
      directory: textIn(payload, 'cwd'),
      tool,
      input,
      action: actionOf(tool, input),
      response,
      failure: failureIn(response),
    };
  },
  denial: (reason) => ({ decision: 'deny', reason }),
};

function failureIn(response: unknown): string | null {
  if (typeof response !== 'object' || response === null) return null;
  const { error } = response as { error?: unknown };
  return error ? String(typeof error === 'string' ? error : 'it failed') : null;
}
