import { Gauge, type Registry } from 'prom-client';

type LoginCounts = Readonly<{ endless: number; bounded: number; others: number }>;

/** How many logins never end, how many are renewed before they end, and how many others renew. */
export class LoginMetrics {
  #count: (() => LoginCounts) | undefined;

  constructor(registry: Registry) {
    const counts = () => this.#count?.();
    new Gauge({
      name: 'flotilla_logins',
      help: 'Logins to clusters, by how they end',
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        for (const [kind, value] of Object.entries(counts() ?? {})) this.set({ kind }, value);
      },
    });
  }

  countBy(count: () => LoginCounts): void {
    this.#count = count;
  }
}
