/** The thread of one simulation. It first lowers its own priority below that of requests, then loads what it needs. */
import { LOADING, stepBack } from './step-back.ts';

stepBack(LOADING);
const { reportSimulation } = await import('./report-simulation.ts');
await reportSimulation();
