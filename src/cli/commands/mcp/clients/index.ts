export { type ConfigScope, type McpClient, mcpClients, type ServerEntry } from './client.ts';
export { readClientFile, replaceClientFile } from './client-file.ts';
