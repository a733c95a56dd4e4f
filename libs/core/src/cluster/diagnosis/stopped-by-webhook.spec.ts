import { expect, it } from 'vitest';
import { ADVICE } from '../advice/advice.js';
import { webhookAdvice } from './stopped-by-webhook.js';

const OF = 'the conversion webhook is of CustomResourceDefinition carts.shop.example.com';

it.each([
  ['that calls a Service', `EOF; ${OF} (service shop/carts)`, ADVICE.wakeWebhook('shop', 'carts')],
  ['at a URL', `EOF; ${OF} (a URL)`, ADVICE.inspectWebhook('customresourcedefinition', 'carts.shop.example.com')],
])('a conversion webhook %s is to be brought to answer', (_, message, advice) => {
  expect(webhookAdvice(message)).toEqual([advice]);
});
