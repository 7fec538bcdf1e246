/** What orders tells whom it may concern, each on the subject of its name. */
export type PlatformEvent =
  | { subject: 'orders.received'; id: string; total: number }
  | { subject: 'orders.paid'; id: string; total: number }
  | { subject: 'trades.made'; id: string; symbol: string; quantity: number; status: string };

/** Nobody waits for those who listen. */
export type Announce = (event: PlatformEvent) => void;
