import { isFault, runMain } from '../kernel/index.ts';
import { closeInheritedDescriptors } from './inherited-descriptors.ts';
import { runKeeper } from './keeper.ts';
import { exitWhenInUse } from './protocol/protocol.ts';

closeInheritedDescriptors();
await runMain('keeper', runKeeper, {
  // There may be no log file yet, and it may belong to another keeper.
  output: process.stderr,
  exitCodeOf: (error) => (isFault(error, 'DIRECTORY_IN_USE') ? exitWhenInUse : 1),
});
