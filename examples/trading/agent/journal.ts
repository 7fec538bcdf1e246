import type { Answer } from './toolbox.ts';

/** What the agent did and what it was told, one line per step. */
export interface Journal {
  step(tool: string, did: string, answer: Answer): void;
  end(reached: boolean, why: string): void;
}

export function createJournal(json: boolean): Journal {
  let steps = 0;
  const print = (value: object, text: string): void => {
    process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`);
  };
  return {
    step(tool, did, { refused, text, value }) {
      steps += 1;
      const told = text.split('\n').join('  ');
      const { code, remedy, verdict } = value;
      print({ step: steps, tool, did, refused, told, code, remedy, verdict }, line(did, told));
    },
    end(reached, why) {
      print({ reached, why }, `${reached ? 'done' : 'stopped'}: ${why}`);
    },
  };

  function line(did: string, told: string): string {
    return `${String(steps).padStart(2)}. ${did}\n      ← ${told}`;
  }
}
