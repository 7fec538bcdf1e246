import type { Identity } from '../kernel/index.ts';
import type {
  OperationGroups,
  OperationKey,
  OperationRequest,
  OperationResponse,
  Operations,
} from './contract.ts';

/** What a handler knows besides its checked input. */
export interface Call extends Identity {
  /** The caller's `Idempotency-Key`. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

type Answer<Key extends OperationKey> = Operations[Key] extends { readonly stream: true }
  ? AsyncIterable<OperationResponse<Key>>
  : Promise<OperationResponse<Key>>;

export type Handlers = {
  readonly [Key in OperationKey]: (request: OperationRequest<Key>, call: Call) => Answer<Key>;
};

/** The handlers of one group of operations. */
export type HandlersOf<Group extends keyof OperationGroups> = Pick<
  Handlers,
  OperationKey & keyof OperationGroups[Group]
>;
