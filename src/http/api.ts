/** The serving half, apart from `index.ts` so that a client does not load it. */
export { openApiDocument } from './openapi.ts';
export {
  type Call,
  createApi,
  type Handlers,
  type LedgerHandlers,
  type SystemHandlers,
  type TaskHandlers,
} from './server.ts';
