export { type InvestigateDeps, type Investigation, investigate } from './investigate.ts';
