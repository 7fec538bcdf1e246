import type { JsonObject } from '../../kernel/index.ts';
import type { AgentAction } from '../action.ts';
import type { Harness, HarnessCall } from './harness-call.ts';
import { patchAction } from './patch-paths.ts';
import { asObject, optionalText, readCommand, textIn } from './payload.ts';

const events: Readonly<Record<string, HarnessCall['phase']>> = {
  'tool.execute.before': 'before',
  'tool.execute.after': 'after',
};

const harmless =
  /^(?:todowrite|todoread|task|skill|question|websearch|codesearch|plan_\w+|invalid|surety_.*)$/;

function actionOf(tool: string, input: JsonObject): AgentAction {
  switch (tool) {
    case 'bash': {
      const directory = optionalText(input, 'workdir');
      return { kind: 'shell', command: readCommand(input), ...(directory ? { directory } : {}) };
    }
    case 'edit':
    case 'write':
    case 'multiedit':
      return {
        kind: 'edit',
        paths: [textIn(input, 'filePath')],
        content: JSON.stringify(input),
      };
    case 'patch':
    case 'apply_patch':
      return patchAction(optionalText(input, 'patchText', 'patch', 'input') ?? '');
    case 'read':
    case 'list':
    case 'glob':
    case 'grep':
      return { kind: 'read', paths: [optionalText(input, 'filePath', 'path') ?? '.'] };
    case 'webfetch':
      return { kind: 'fetch', addresses: [textIn(input, 'url')] };
    default:
      return harmless.test(tool) ? { kind: 'harmless' } : { kind: 'unknown', tool };
  }
}

/** opencode has plugins in place of hooks: ours passes each call on, and throws on a denial. */
export const opencode: Harness = {
  title: 'opencode',
  read(payload) {
    const event = textIn(payload, 'event');
    const phase = Object.hasOwn(events, event) ? events[event] : undefined;
    if (!phase) return null;
    const tool = textIn(payload, 'tool');
    const input = asObject(payload.args ?? {}, 'args');
    return {
      phase,
      session: textIn(payload, 'sessionID'),
      call: optionalText(payload, 'callID') ?? null,
      directory: textIn(payload, 'directory'),
      tool,
      input,
      action: actionOf(tool, input),
      response: payload.output ?? null,
      failure: null,
    };
  },
  denial: (reason) => ({ denied: reason }),
};
