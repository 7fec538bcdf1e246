export { type Client, createClient } from './client.ts';
export type { OperationResponse } from './contract.ts';
