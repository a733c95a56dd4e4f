import { describeRecordings } from '../recorded/describe-recordings.js';
import { SCENARIOS } from '../recorded/scenario-table.js';

describeRecordings(SCENARIOS.filter(({ standsFor, inEveryRun }) => standsFor !== undefined && !inEveryRun));
