// In a project of your own: from 'surety'.
import { definePolicy } from '../../src/index.ts';

/** Notes are small, and one name is written once. */
export const policy = definePolicy({
  version: 1,
  tools: {
    note_write: {
      description: 'Writes a note.',
      effect: 'mutating',
      arguments: {
        type: 'object',
        required: ['name', 'text'],
        properties: {
          name: { type: 'string', pattern: '^[a-z-]{1,40}$' },
          text: { type: 'string', maxLength: 2_000 },
        },
      },
      preconditions: [
        {
          rule: 'signed',
          that: 'arguments.text.endsWith("-- ada")',
          message: 'the note is not signed',
          remedy: 'End the text with "-- ada" and call it again.',
        },
      ],
      governance: { key: 'arguments.name' },
    },
  },
  agents: { ada: { tools: ['note_write'], budgets: [{ dimension: 'calls', limit: 100 }] } },
});
