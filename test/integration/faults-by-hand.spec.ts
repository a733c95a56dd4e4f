import { describeDeletionsByHand } from '../story/deletions-by-hand.js';
import { FROM_CACHE } from '../story/reads.js';

// `make e2e` plays these with passes that ask the API server, too.
describeDeletionsByHand(FROM_CACHE);
