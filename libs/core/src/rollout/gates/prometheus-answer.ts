import { z } from 'zod';
import type { CheckAnswer } from './cel-check.js';

const Sample = z.tuple([z.number(), z.string()]);
const Answer = z.object({
  status: z.literal('success'),
  data: z.discriminatedUnion('resultType', [
    z.object({ resultType: z.literal('vector'), result: z.array(z.object({ value: Sample })) }),
    z.object({ resultType: z.literal('scalar'), result: Sample }),
  ]),
});

/** Says if each value from a Prometheus server is within the bound. No value means no answer. */
export function prometheusAnswer(
  body: unknown,
  { max, min }: Readonly<{ max?: number | undefined; min?: number | undefined }>,
): CheckAnswer {
  const parsed = Answer.safeParse(body);
  if (!parsed.success) return { message: 'the answer is not that of an instant query' };
  const { data } = parsed.data;
  const values = data.resultType === 'scalar' ? [data.result[1]] : data.result.map(({ value }) => value[1]);
  const numbers = values.map(Number).filter((value) => !Number.isNaN(value));
  if (numbers.length === 0) return { message: 'the query gave no value' };
  const outside = numbers.find((value) => value > (max ?? Infinity) || value < (min ?? -Infinity));
  if (outside === undefined) return { green: true, message: '' };
  return { green: false, message: `${outside} is ${max === undefined ? `less than ${min}` : `more than ${max}`}` };
}

const CLUSTER = '$cluster';
/** The query for one cluster: its name in place of `$cluster`, as inside of a string of PromQL. */
export const queryFor = (query: string, cluster: string): string =>
  query.replaceAll(CLUSTER, cluster.replace(/["'\\]/g, '\\$&'));
