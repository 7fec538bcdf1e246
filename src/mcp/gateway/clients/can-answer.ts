import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { ProtocolMessage } from './exchange.ts';

/** Whether a client that says this of itself can be asked that. */
export function canAnswer(
  capabilities: ClientCapabilities | undefined,
  { method, params }: ProtocolMessage,
): boolean {
  switch (method) {
    case 'elicitation/create':
      return canElicit(capabilities?.elicitation, params?.mode === 'url');
    case 'sampling/createMessage':
      return capabilities?.sampling !== undefined;
    case 'roots/list':
      return capabilities?.roots !== undefined;
    default:
      return false;
  }
}

/** A client that names no way to ask has forms. */
function canElicit(elicitation: ClientCapabilities['elicitation'], byUrl: boolean): boolean {
  if (!elicitation) return false;
  const { form, url } = elicitation;
  return byUrl ? url !== undefined : form !== undefined || url === undefined;
}
