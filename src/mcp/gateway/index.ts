export { createGateway, type Gateway } from './gateway.ts';
export { nameInside } from './names.ts';
export type {
  GatewayPorts,
  HeldAnswer,
  PinState,
  ToolDefinition,
  ToolTerms,
  UpstreamSpec,
} from './ports.ts';
