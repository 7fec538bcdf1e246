import type { Client } from './plan.ts';

/** What one service says to another. `truth` is the lane that the request really belongs to. */
export interface Call {
  readonly items: readonly Item[];
  readonly from: string;
  readonly attempt: number;
}

export interface Item {
  readonly id: string;
  readonly truth: string | null;
  /** Who it has been at before, from whoever sent it first. */
  readonly trail: readonly string[];
}

/** What a service really served, by its own account. */
export interface Served extends Item {
  readonly service: string;
  readonly instance: string;
  readonly from: string;
}

export interface Destination {
  readonly to: string;
  readonly port: number;
  readonly client: Client;
}

export interface Answer {
  readonly status: number;
}
