import { describeDeletionsByHand } from '../story/deletions-by-hand.js';
import { FROM_CACHE, FROM_SERVER } from '../story/reads.js';
import { describeRefusedWrites } from '../story/refused-writes.js';

// On a simulated cluster, as what fails there has to be made to; `make test` plays one of
// each kind of refused writes, from the cache.
describeDeletionsByHand(FROM_CACHE);
describeDeletionsByHand(FROM_SERVER);
describeRefusedWrites(FROM_CACHE, { all: true });
describeRefusedWrites(FROM_SERVER, { all: true });
