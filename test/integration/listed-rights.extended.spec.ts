import { AdviceBench } from '../advice/advice-bench.js';
import { simulatedCluster } from '../advice/advice-clusters.js';
import { createListedAccount } from '../advice/hub-accounts.js';
import { playListedRights } from '../advice/listed-rights.js';

playListedRights(async () => AdviceBench.start(await simulatedCluster(), createListedAccount), false);
