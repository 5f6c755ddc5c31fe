/** The thread of one simulation. First of all it steps back behind the requests; then it loads what it needs. */
import { setPriority } from 'node:os';

// Linux has priorities for single threads, so that requests go first where there is one core for both. Elsewhere
// this would be the priority of the whole process.
if (process.platform === 'linux') setPriority(0, 19);

const { reportSimulation } = await import('./report-simulation.ts');
await reportSimulation();
