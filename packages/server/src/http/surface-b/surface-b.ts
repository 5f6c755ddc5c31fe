import type { Surface } from '../routes/surface.ts';
import { agentRoutes } from './agents.ts';
import { auditRoutes } from './audit.ts';
import { erasureRoutes } from './erasures.ts';
import { SURFACE_B_ERRORS } from './error-codes.ts';
import { eventRoutes } from './events.ts';
import { intentRoutes } from './intents.ts';
import { introspectionRoutes } from './introspection.ts';
import { keyRoutes } from './keys.ts';
import { meRoutes } from './me.ts';
import { mockConnectorRoutes } from './mock-connectors.ts';
import { pairingRoutes } from './pairings.ts';
import { peopleRoutes } from './people.ts';
import { permitRoutes } from './permits.ts';
import { policyRoutes } from './policies.ts';
import { policyCheckRoutes } from './policy-check.ts';
import { policyProposalRoutes } from './policy-proposals.ts';
import { projectRoutes } from './project.ts';
import { retentionRoutes } from './retention.ts';
import { shadowRoutes } from './shadow.ts';
import { signingKeyRoutes } from './signing-keys.ts';
import { simulationRoutes } from './simulation.ts';
import { statusListRoutes } from './status-lists.ts';
import { upstreamRoutes } from './upstreams.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries.ts';
import { webhookRoutes } from './webhooks.ts';

/** `/v1`: parameters are called params, and error codes are lower_case. Management is part of this surface as well. */
export const surfaceB: Surface = {
  prefix: '/v1',
  errors: SURFACE_B_ERRORS,
  routes(app, tools) {
    intentRoutes(app, tools);
    permitRoutes(app, tools);
    mockConnectorRoutes(app, tools);
    introspectionRoutes(app, tools);
    statusListRoutes(app, tools);
    pairingRoutes(app, tools);
    meRoutes(app, tools);
    projectRoutes(app, tools);
    erasureRoutes(app, tools);
    retentionRoutes(app, tools);
    signingKeyRoutes(app, tools);
    agentRoutes(app, tools);
    keyRoutes(app, tools);
    peopleRoutes(app, tools);
    policyRoutes(app, tools);
    policyCheckRoutes(app, tools);
    policyProposalRoutes(app, tools);
    simulationRoutes(app, tools);
    shadowRoutes(app, tools);
    auditRoutes(app, tools);
    upstreamRoutes(app, tools);
    webhookRoutes(app, tools);
    webhookDeliveryRoutes(app, tools);
    eventRoutes(app, tools);
  },
};
