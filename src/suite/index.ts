export type { Answer, Client, RequestOptions } from './client.ts';
export type { Database } from './database.ts';
export { defineSuite, type Suite } from './define-suite.ts';
export type { Look, Patience } from './eventually.ts';
export type { InjectedFault } from './fault-member.ts';
export type { LogLine } from './log-lines.ts';
