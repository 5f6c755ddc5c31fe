/** Values for the parameters of paths. For the attack tool and the adversarial tests. */
export interface PathParts {
  project: string;
  intent: string;
  agent: string;
  key: string;
  user: string;
  group: string;
  proposal: string;
  webhook: string;
  delivery: string;
  upstream: string;
}
