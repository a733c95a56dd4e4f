import { vi } from 'vitest';

// The same properties on more random fleets than `make test` plays.
vi.stubEnv('FLOTILLA_FLEET_RUNS', process.env['FLOTILLA_FLEET_RUNS'] ?? '25');
await import('./simulate.properties.spec.js');
vi.unstubAllEnvs();
