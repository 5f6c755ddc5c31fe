import { lyingDisk, powerLoss } from './power-loss.ts';
import { inShort } from './short-form.ts';

inShort(powerLoss);
inShort(lyingDisk);
