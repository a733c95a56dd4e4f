import { z } from 'zod';
import { Problem } from '../api/actions.schema.js';
import type { ApiRoute } from './route.js';

const API = '/api/v1';
/** Version of the API; changes when its answers do. */
export const API_VERSION = '1.9.0';

const schemaOf = (type: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any', reused: 'inline' });
  return schema;
};

type Parameter = Readonly<{ name: string; in: 'path' | 'query'; required: boolean; schema: unknown }>;

function parametersOf({ path, query }: ApiRoute): Parameter[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(
    ([, name = '']): Parameter => ({ name, in: 'path', required: true, schema: { type: 'string' } }),
  );
  if (query === undefined) return inPath;
  const { properties = {}, required = [] } = schemaOf(query, 'input');
  const inQuery = Object.entries(properties).map(
    ([name, schema]): Parameter => ({ name, in: 'query', required: required.includes(name), schema }),
  );
  return [...inPath, ...inQuery];
}

const json = (schema: unknown) => ({ 'application/json': { schema } });

function operationOf(route: ApiRoute) {
  const { body, name, status, summary } = route;
  return {
    summary,
    parameters: parametersOf(route),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(schemaOf(body, 'input')) } }),
    responses: {
      [status]: { description: summary, content: json({ $ref: `#/components/schemas/${name}` }) },
      default: {
        description: 'The problem, and advice',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

/** The document of the API, OpenAPI 3.1, made of the schemas that requests and answers are checked with. */
export function openApiDocument(routes: readonly ApiRoute[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Record<string, unknown> = { Problem: schemaOf(Problem, 'output') };
  for (const route of routes) {
    const path = `${API}${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
    schemas[route.name] = schemaOf(route.answer, 'output');
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Flotilla console', version: API_VERSION },
    paths,
    components: {
      schemas,
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ key: [] }],
  };
}
