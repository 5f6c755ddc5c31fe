/** The steps shared by every app of the gate: the one that listens, and the one that answers its operator. */
import { StrictObject } from '@permitry/protocol/schemas';
import type { FastifyInstance, FastifyServerOptions, RouteOptions } from 'fastify';
import type { GateParts } from '../open-gate.ts';
import { type Admission, admitTo, readmitTo } from './admission/admit.ts';
import { findRouteName, ROUTE_ACCESS } from './admission/route-scopes.ts';
import { answerWithStatus } from './answers/answer-with-status.ts';
import { readQueryNumbers } from './body/query-numbers.ts';
import { acceptStrictJsonOnly, BODY_LIMIT_BYTES } from './body/strict-json-body.ts';
import { compileOnce } from './routes/compile-once.ts';

/** How paths, bodies and schemas are read. */
export function optionsOfRoutes({ ids }: Pick<GateParts, 'ids'>) {
  return {
    logger: false,
    genReqId: () => ids.next('req'),
    // The request ID is always our own: an ID from outside could collide, or carry something into the logs.
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: 256, ignoreTrailingSlash: false, caseSensitive: true },
    // Answers are sent unchanged. A response schema documents, and never strips a member.
    schemaController: {
      compilersFactory: { buildValidator: compileOnce, buildSerializer: () => () => JSON.stringify },
    },
    // Validation changes nothing in a request, because an approval covers exactly what was sent.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        allErrors: true,
        strict: true,
        allowUnionTypes: true,
      },
    },
  } satisfies FastifyServerOptions;
}

/** Call this before any route is registered. */
export function takeSharedSteps(app: FastifyInstance, admission: Admission): void {
  acceptStrictJsonOnly(app);
  app.decorateRequest('caller', null);
  app.decorateRequest('rawBody', null);
  app.decorateRequest('admittedAt', 0);
  app.addHook('onRoute', (route) => {
    addSharedSteps(route, admission);
    answerWithStatus(route);
  });
}

const OF_SURFACES = /^\/(api|v1)\//;
/** Refuses unknown members in queries as in bodies, also on routes that read no query. */
const NO_QUERY = StrictObject({});

/** Steps that no route can forget, because they are added when the route is registered. */
function addSharedSteps(route: RouteOptions, admission: Admission): void {
  const method = Array.isArray(route.method) ? route.method.join() : route.method;
  const name = findRouteName(method, route.url);
  route.onRequest = [admitTo(name, admission), ...[route.onRequest ?? []].flat()];
  if (
    route.schema &&
    !route.schema.querystring &&
    OF_SURFACES.test(route.url) &&
    ROUTE_ACCESS[name] !== 'public'
  ) {
    route.schema.querystring = NO_QUERY;
  }
  const readNumbers = readQueryNumbers(route.schema?.querystring);
  const before = [route.preValidation ?? []].flat();
  if (readNumbers) before.unshift(readNumbers);
  // An empty body equals {}, also when no body was sent.
  if (route.schema?.body) {
    before.unshift((request, _reply, done) => {
      if (request.body === undefined) request.body = {};
      done();
    });
    const readmit = readmitTo(name, admission);
    if (readmit) before.unshift(readmit);
  }
  route.preValidation = before;
}
