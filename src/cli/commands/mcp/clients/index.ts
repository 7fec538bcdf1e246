export { type McpClient, mcpClients, type Scope, type ServerEntry } from './client.ts';
export { readClientFile, replaceClientFile } from './client-file.ts';
