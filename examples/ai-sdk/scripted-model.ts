import { MockLanguageModelV3 } from 'ai/test';

type Answer = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;
type Prompt = Parameters<MockLanguageModelV3['doGenerate']>[0]['prompt'];

const none = undefined;
const usage = {
  inputTokens: { total: none, noCache: none, cacheRead: none, cacheWrite: none },
  outputTokens: { total: none, text: none, reasoning: none },
};

/** Stands in for a model: writes a note, and when that is refused does what the remedy says. */
export function scriptedModel(): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const answer = lastAnswer(prompt);
      if (answer === undefined) return call('call-1', 'The wind is from the west.');
      const [, signature] = /End the text with \\"(.*?)\\"/.exec(answer) ?? [];
      if (signature !== undefined) return call('call-2', `The wind is from the west. ${signature}`);
      return say('The note is written.');
    },
  });
}

/** What the last tool answered, as the model gets it. */
function lastAnswer(prompt: Prompt): string | undefined {
  const last = prompt.at(-1);
  return last?.role === 'tool' ? JSON.stringify(last.content) : undefined;
}

function call(toolCallId: string, text: string): Answer {
  const input = JSON.stringify({ name: 'weather', text });
  return {
    content: [{ type: 'tool-call', toolCallId, toolName: 'note_write', input }],
    finishReason: { unified: 'tool-calls', raw: undefined },
    usage,
    warnings: [],
  };
}

function say(text: string): Answer {
  return {
    content: [{ type: 'text', text }],
    finishReason: { unified: 'stop', raw: undefined },
    usage,
    warnings: [],
  };
}
