import {
  canonicalJson,
  fault,
  type Identity,
  type JsonObject,
  sha256,
  systemRandom,
} from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { ProtocolMessage } from './exchange.ts';

/** `name`: what a server of the newer revision calls its question; kept where it is free. */
export type InputQuestion = (request: ProtocolMessage, name?: string) => Promise<JsonObject>;

/** What the SDK turns into a question to the client, whichever revision it speaks. */
export interface InputRequest extends JsonObject {
  readonly resultType: 'input_required';
  readonly inputRequests: Readonly<Record<string, JsonObject>>;
  readonly requestState: string;
}

/** One request of a client that takes part in a conversation. */
export interface ConversationTurn {
  /** Binds the conversation to who began it, and to the very same call. */
  readonly owner: () => string;
  /** Aborts when the client hangs up. */
  readonly gone: AbortSignal;
}

/** Who began it, and what: all that has to be the same in every round. */
export function ownerOf({ actor }: Identity, method: string, params: JsonObject): string {
  const { _meta: _, ...call } = params;
  return sha256(canonicalJson([actor, method, call]));
}

type Work = (ask: InputQuestion, gone: AbortSignal) => Promise<JsonObject>;

interface OpenQuestion {
  readonly request: ProtocolMessage;
  readonly answer: (given: JsonObject) => void;
}

interface Conversation {
  readonly owner: () => string;
  readonly done: Promise<JsonObject>;
  readonly open: Map<string, OpenQuestion>;
  /** All but the last are of rounds that are over. */
  readonly states: string[];
  /** Aborts when the client hangs up instead of waiting; between two rounds nobody has to. */
  readonly gone: AbortController;
  asked: PromiseWithResolvers<void>;
  /** Whether a request of the client waits for what comes next. */
  isHeard: boolean;
  isOver: boolean;
}

/**
 * One call may ask its client things before it ends. The call stays in flight meanwhile: it is
 * decided once, executed once and recorded once, in however many requests the client takes part.
 */
export class Conversations {
  readonly #open = new Map<string, Conversation>();
  readonly #questionMsMax: number;
  #questions = 0;

  constructor(questionMsMax: number = mcpLimits.questionMsMax) {
    this.#questionMsMax = questionMsMax;
  }

  begin(round: ConversationTurn, work: Work): Promise<JsonObject> {
    const open = new Map<string, OpenQuestion>();
    const gone = new AbortController();
    let count = 0;
    const ask: InputQuestion = (request, name) => {
      count += 1;
      const key = name === undefined || open.has(name) ? `input-${count}` : name;
      const answer = this.#wait(key, request, open);
      if (open.size > 0) conversation.asked.resolve();
      return answer;
    };
    // Begun only after `conversation` stands: work may ask at once.
    const done = Promise.resolve().then(() => work(ask, gone.signal));
    const asked = Promise.withResolvers<void>();
    const { owner } = round;
    const conversation: Conversation = {
      ...{ owner, done, open, gone, asked },
      states: [],
      isHeard: false,
      isOver: false,
    };
    const end = (): void => this.#end(conversation);
    done.then(end, end);
    return this.#next(conversation, round);
  }

  resume(state: string, round: ConversationTurn, answers: JsonObject): Promise<JsonObject> {
    const conversation = this.#open.get(state);
    if (conversation?.owner() !== round.owner()) throw fault('CALL_STATE_UNKNOWN', {});
    conversation.asked = Promise.withResolvers<void>();
    // Answers to an earlier round, sent again, are no answers to what is asked now.
    const isCurrent = state === conversation.states.at(-1);
    for (const [key, question] of isCurrent ? conversation.open : []) {
      if (!Object.hasOwn(answers, key)) continue;
      conversation.open.delete(key);
      question.answer(answers[key] as JsonObject);
    }
    if (conversation.open.size > 0) conversation.asked.resolve();
    return this.#next(conversation, round);
  }

  /** How many calls wait for an answer. */
  get size(): number {
    return new Set([...this.#open.values()].filter(({ isOver }) => !isOver)).size;
  }

  /** Nobody has to answer: what is asked ends by itself. */
  #wait(
    key: string,
    request: ProtocolMessage,
    open: Map<string, OpenQuestion>,
  ): Promise<JsonObject> {
    if (this.#questions >= mcpLimits.openQuestionsMax) {
      return Promise.reject(new Error('too many questions are open'));
    }
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    this.#questions += 1;
    const late = setTimeout(() => {
      open.delete(key);
      reject(new Error('nobody answered in time'));
    }, this.#questionMsMax);
    late.unref();
    open.set(key, { request, answer: resolve });
    return promise.finally(() => {
      this.#questions -= 1;
      clearTimeout(late);
    });
  }

  async #next(conversation: Conversation, round: ConversationTurn): Promise<JsonObject> {
    const { done, asked, open, gone } = conversation;
    const leave = (): void => gone.abort(round.gone.reason);
    round.gone.addEventListener('abort', leave, { once: true });
    conversation.isHeard = true;
    const result = await Promise.race([done, asked.promise]).finally(() => {
      round.gone.removeEventListener('abort', leave);
      conversation.isHeard = false;
    });
    if (result !== undefined || conversation.isOver) return result ?? done;
    const requestState = this.#remember(conversation);
    const requests = [...open].map(([key, { request }]) => [key, { ...request }] as const);
    const question: InputRequest = {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(requests) as InputRequest['inputRequests'],
      requestState,
    };
    return question;
  }

  /** A server may end a call without what it has just asked for: who answers gets its end. */
  #end(conversation: Conversation): void {
    conversation.isOver = true;
    const forget = (): void => {
      for (const one of conversation.states) this.#open.delete(one);
    };
    if (conversation.isHeard) forget();
    else setTimeout(forget, this.#questionMsMax).unref();
  }

  /** Each round has a state that nobody can guess; it is worth nothing with another call. */
  #remember(conversation: Conversation): string {
    const { states } = conversation;
    const state = Buffer.from(systemRandom(18)).toString('base64url');
    states.push(state);
    this.#open.set(state, conversation);
    return state;
  }
}
