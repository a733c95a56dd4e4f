import { describeDeletionsByHand } from '../story/deletions-by-hand.js';
import { FROM_CACHE, FROM_SERVER } from '../story/reads.js';
import { describeRefusedWrites } from '../story/refused-writes.js';

// On a simulated cluster, because its refusals are made on purpose; `make test` plays one refused write of
// each kind, from the cache.
describeDeletionsByHand(FROM_CACHE);
describeDeletionsByHand(FROM_SERVER);
describeRefusedWrites(FROM_CACHE, { all: true });
describeRefusedWrites(FROM_SERVER, { all: true });
