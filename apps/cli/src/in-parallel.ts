export { inParallel } from '#platform/fairness/in-parallel';
