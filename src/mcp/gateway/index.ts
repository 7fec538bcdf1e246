import type { Gateway, GatewayOptions } from './gateway.ts';

export type { Gateway, ServerState } from './gateway.ts';
export { nameInside, nameOutside } from './names.ts';
export type {
  GatewayPorts,
  HeldAnswer,
  PinState,
  ToolDefinition,
  ToolTerms,
  UpstreamSpec,
} from './ports.ts';

/** Both sides of the protocol are loaded only where there are servers. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { createGateway } = await import('./gateway.ts');
  return createGateway(options);
}
