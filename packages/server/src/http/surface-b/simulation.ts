import type { JsonObject } from '@permitry/protocol';
import { SimulatePolicy, SimulationLine, SimulationSchema } from '@permitry/protocol/schemas';
import type { FastifyReply } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { type Simulation, simulatePolicy } from '../../gate/policy-management/simulation/simulate-policy.ts';
import { getCaller } from '../admission/request-context.ts';
import { answerInLines, NDJSON } from '../answers/answer-in-lines.ts';
import { hungUpSignal } from '../answers/hung-up.ts';
import { toErrorAnswer } from '../errors/error-answer.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toGivenIntent } from '../wire/to-given-intent.ts';
import { SURFACE_B_ERRORS } from './error-codes.ts';
import { toWireLine, toWireOutcomes, toWireSimulation, toWireStart } from './to-wire-simulation.ts';

export function simulationRoutes(app: GateApp, { gate }: RouteTools): void {
  app.post(
    '/projects/:id/policies/simulate',
    {
      schema: {
        operationId: 'simulatePolicy',
        summary: 'Simulate a policy on given or stored intents',
        description:
          'Evaluates a draft beside the active policy and groups the differences by rule and change. Nothing is changed or recorded. Given intents are answered at once, as JSON. Stored intents are answered line by line, as `application/x-ndjson`: `started`, `progress`, and finally `summary`. An answer without a `summary` line is incomplete. Closing the connection stops the simulation. A stored intent is evaluated at the time of its creation, with its agent as registered now. An intent with erased texts is left out and counted as `skipped`. One simulation per project runs at a time.',
        tags: ['Surface B: policies'],
        params: ItemPath,
        body: SimulatePolicy,
        response: {
          200: {
            description: 'What would change',
            content: {
              'application/json': { schema: SimulationSchema },
              [NDJSON]: { schema: SimulationLine },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const gone = hungUpSignal(reply);
      const { policy, intents, stored } = request.body;
      if ((intents === undefined) === (stored === undefined)) {
        throw invalidFields({
          path: '',
          message: 'Give either intents or stored.',
        });
      }
      const simulation = await simulatePolicy(
        gate,
        getCaller(request),
        {
          projectId: request.params.id,
          ...(policy === undefined ? {} : { document: policy }),
          against: intents ? { given: intents.map(toGivenIntent) } : { stored: stored ?? {} },
        },
        gone,
      );
      if (intents) return answerWhole(reply, simulation);
      return answerInLines(reply, toLines(simulation, request.id));
    },
  );
}

/** Fails as a whole if the time was too short, because part of an answer about a few intents is useless. */
async function answerWhole(reply: FastifyReply, simulation: Simulation): Promise<FastifyReply> {
  for await (const report of simulation.reports) {
    if (report.kind !== 'finished' || report.given === null) continue;
    if (!report.result.complete) {
      throw new GateError(
        'payload_too_large',
        'These policies take too long on so many intents; send fewer of them, or simpler conditions.',
        {},
      );
    }
    return reply.send({
      ...toWireSimulation(simulation, report.result),
      intents: report.given.map(toWireOutcomes),
    });
  }
  // The client has gone.
  return reply.send('');
}

/** The status is sent before anything can fail, so a failure becomes a line too. */
async function* toLines(simulation: Simulation, requestId: string): AsyncGenerator<JsonObject, void, void> {
  yield toWireStart(simulation);
  try {
    for await (const report of simulation.reports) yield toWireLine(simulation, report);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    yield { type: 'error', ...toErrorAnswer(error, SURFACE_B_ERRORS, requestId).body };
  }
}
