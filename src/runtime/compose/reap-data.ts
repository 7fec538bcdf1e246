import { BranchRecords, dropBranches } from '../../lanes/index.ts';
import { dataStores } from './data-stores.ts';

// node src/runtime/compose/reap-data.ts <directory> <lane>: run by the keeper at a lane's end.
const [directory = '', lane = ''] = process.argv.slice(2);
await dropBranches(lane, { records: new BranchRecords(directory), stores: dataStores });
