import { chain, ladder, ordinaryCatalog, pigeons, providers, type ResolutionInput } from './resolution-inputs.js';

/**
 * A case of the table; `anchorSeconds`: processor time of OLM's own resolver for it, from a
 * machine of the same kind.
 */
export type ResolutionCase = Readonly<{ name: string; make: () => ResolutionInput; anchorSeconds?: string }>;

/** The case on a real catalog, by the name of its folder. */
export const REAL_CASE = { name: 'community catalog v4.20, 1 Subscription', anchorSeconds: '0.42–0.58' };

export const CASES: readonly ResolutionCase[] = [
  { name: 'catalog 400×25, 1 Subscription', make: () => ordinaryCatalog(400, 25, 1), anchorSeconds: '0.75–1.24' },
  { name: 'catalog 400×25, 20 Subscriptions', make: () => ordinaryCatalog(400, 25, 20), anchorSeconds: '25.5' },
  { name: 'chain 60×10', make: () => chain(60, 10), anchorSeconds: '3.6–4.7' },
  { name: 'ladder 40×10', make: () => ladder(40, 10), anchorSeconds: '1.4–1.9' },
  { name: 'providers 10×10×3, 3 Subscriptions', make: () => providers(10, 10, 3, 3), anchorSeconds: '3.3–4.1' },
  {
    name: 'providers 20×30×5, 3 Subscriptions',
    make: () => providers(20, 30, 5, 3),
    anchorSeconds: 'not done after 70',
  },
  { name: 'pigeons 8', make: () => pigeons(8), anchorSeconds: '0.20' },
  { name: 'pigeons 9', make: () => pigeons(9), anchorSeconds: '1.95' },
  { name: 'pigeons 10', make: () => pigeons(10), anchorSeconds: '3.6' },
  { name: 'pigeons 12', make: () => pigeons(12) },
  { name: 'pigeons 20', make: () => pigeons(20) },
];
