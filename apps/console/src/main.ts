import { z } from 'zod';
import * as actions from './api/actions.schema.js';
import * as catalogs from './api/catalogs.schema.js';
import * as lists from './api/lists.schema.js';
import * as questions from './api/questions.schema.js';

/** Prints the API's requests and answers as JSON Schema, by name. */
const schemas = Object.entries({ ...actions, ...catalogs, ...lists, ...questions }).flatMap(([name, value]) =>
  value instanceof z.ZodType ? [[name, z.toJSONSchema(value, { unrepresentable: 'any' })]] : [],
);
process.stdout.write(`${JSON.stringify(Object.fromEntries(schemas), null, 2)}\n`);
