import { describeBadEnvironments } from './bad-environment-support/describe-bad-environments.js';

describeBadEnvironments('one of each kind');
