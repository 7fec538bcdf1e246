export { type Client, type ClientOptions, createClient } from './client.ts';
export type { OperationKey, OperationResponse } from './contract.ts';
