/** The serving half, apart from `index.ts` so that a client does not load it. */
export { openApiDocument } from './openapi.ts';
export {
  type Call,
  type ChangeHandlers,
  createApi,
  type GateHandlers,
  type GrantHandlers,
  type Handlers,
  type LedgerHandlers,
  type McpHandlers,
  type PolicyHandlers,
  type SystemHandlers,
  type TaskHandlers,
} from './server.ts';
