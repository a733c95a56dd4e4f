import { FROM_CACHE } from '../story/reads.js';
import { describeRefusedWrites } from '../story/refused-writes.js';

// `make e2e` plays further ones, and all with passes that ask the API server, too.
describeRefusedWrites(FROM_CACHE, { all: false });
