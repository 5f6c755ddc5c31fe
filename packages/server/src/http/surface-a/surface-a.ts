import type { Surface } from '../routes/surface.ts';
import { SURFACE_A_ERRORS } from './error-codes.ts';
import { gatewayRoutes } from './gateway.ts';
import { intentRoutes } from './intents.ts';
import { permitRoutes } from './permits.ts';
import { proofRoutes } from './proof.ts';

/** `/api`: parameters are called context, error codes are UPPER_CASE. */
export const surfaceA: Surface = {
  prefix: '/api',
  errors: SURFACE_A_ERRORS,
  routes(app, tools) {
    intentRoutes(app, tools);
    permitRoutes(app, tools);
    proofRoutes(app, tools);
    gatewayRoutes(app, tools);
  },
};
