/** The thread of one simulation. First of all it steps back behind the requests; then it loads what it needs. */
import { LOADING, stepBack } from './step-back.ts';

stepBack(LOADING);
const { reportSimulation } = await import('./report-simulation.ts');
await reportSimulation();
