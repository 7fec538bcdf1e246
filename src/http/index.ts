export { type Client, createClient } from './client.ts';
export { collectBody } from './collect-body.ts';
export { type OperationKey, type OperationResponse, operations } from './contract.ts';
export { fetchOver } from './fetch-over.ts';
