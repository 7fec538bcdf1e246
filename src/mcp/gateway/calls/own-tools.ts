import {
  fault,
  type Identity,
  isJsonObject,
  type Json,
  type JsonObject,
} from '../../../kernel/index.ts';
import { approvalStatusName } from '../names.ts';
import type { GatewayPorts } from '../ports.ts';

const approvalStatus = {
  name: approvalStatusName,
  title: 'See whether a person has approved',
  description:
    'Tells what became of a call that is held for a person (code PROPOSAL_HELD): waiting, ' +
    'approved, refused or expired. Once approved, call the held tool again with exactly the same ' +
    'arguments. Changes nothing.',
  inputSchema: {
    type: 'object',
    properties: {
      approval: { type: 'string', description: 'The id that the held call was answered with.' },
    },
    required: ['approval'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
} as const;

/** Listed to those whose calls may be held. */
export function ownTools(caller: Identity, ports: GatewayPorts): JsonObject[] {
  return ports.mayBeHeld(caller) ? [approvalStatus] : [];
}

export async function callOwnTool(
  tool: string,
  given: Json | undefined,
  caller: Identity,
  ports: GatewayPorts,
): Promise<JsonObject> {
  const { approval, ...others } = isJsonObject(given ?? null) ? (given as JsonObject) : {};
  if (typeof approval !== 'string' || Object.keys(others).length > 0) {
    throw fault('TOOL_ARGUMENTS', { tool, reason: 'say {"approval": "…"} and nothing else' });
  }
  const structuredContent = await ports.approval(caller, approval);
  const text = JSON.stringify(structuredContent);
  return { content: [{ type: 'text', text }], structuredContent };
}
