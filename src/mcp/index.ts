export { serveMcp } from './server.ts';
export { unknownAgent } from './unknown-agent.ts';
