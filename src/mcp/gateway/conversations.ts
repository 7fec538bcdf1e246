import { fault, type JsonObject, systemRandom } from '../../kernel/index.ts';
import type { Message } from './exchange.ts';

export type Ask = (request: Message) => Promise<JsonObject>;

/** What the SDK turns into a question to the client, whichever revision it speaks. */
export interface InputRequired extends JsonObject {
  readonly resultType: 'input_required';
  readonly inputRequests: Readonly<Record<string, JsonObject>>;
  readonly requestState: string;
}

interface Question {
  readonly request: Message;
  readonly answer: (given: JsonObject) => void;
}

interface Conversation {
  readonly owner: () => string;
  readonly done: Promise<JsonObject>;
  readonly open: Map<string, Question>;
  asked: PromiseWithResolvers<void>;
}

/**
 * One call may ask its client things before it ends. The call stays in flight meanwhile: it is
 * decided once, executed once and recorded once, in however many requests the client takes part.
 */
export class Conversations {
  readonly #open = new Map<string, Conversation>();

  /** `owner` binds the rest of the conversation to who began it, and to the very same call. */
  begin(owner: () => string, work: (ask: Ask) => Promise<JsonObject>): Promise<JsonObject> {
    const open = new Map<string, Question>();
    let questions = 0;
    const ask: Ask = (request) => {
      const { promise, resolve } = Promise.withResolvers<JsonObject>();
      questions += 1;
      open.set(`input-${questions}`, { request, answer: resolve });
      conversation.asked.resolve();
      return promise;
    };
    // Begun only after `conversation` stands: work may ask at once.
    const done = Promise.resolve().then(() => work(ask));
    const asked = Promise.withResolvers<void>();
    const conversation: Conversation = { owner, done, open, asked };
    return this.#next(conversation, undefined);
  }

  resume(state: string, owner: () => string, answers: JsonObject): Promise<JsonObject> {
    const conversation = this.#open.get(state);
    if (conversation?.owner() !== owner()) throw fault('CALL_STATE_UNKNOWN', {});
    conversation.asked = Promise.withResolvers<void>();
    for (const [key, question] of conversation.open) {
      if (!Object.hasOwn(answers, key)) continue;
      conversation.open.delete(key);
      question.answer(answers[key] as JsonObject);
    }
    if (conversation.open.size > 0) conversation.asked.resolve();
    return this.#next(conversation, state);
  }

  get size(): number {
    return this.#open.size;
  }

  async #next(conversation: Conversation, known: string | undefined): Promise<JsonObject> {
    const { done, asked, open } = conversation;
    const result = await Promise.race([done, asked.promise]);
    if (result !== undefined) return result;
    const state = known ?? Buffer.from(systemRandom(18)).toString('base64url');
    if (known === undefined) {
      this.#open.set(state, conversation);
      const forget = (): boolean => this.#open.delete(state);
      done.then(forget, forget);
    }
    const requests = [...open].map(([key, { request }]) => [key, { ...request }] as const);
    const question: InputRequired = {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(requests) as InputRequired['inputRequests'],
      requestState: state,
    };
    return question;
  }
}
