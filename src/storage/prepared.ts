/**
 * Statements of every request: put together with Kysely once, and asked with other values each time. To put one together
 * takes several times as long as to answer it.
 */
import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from 'kysely';
import type { Query } from './tables.ts';

/** Inside a transaction or outside of one, as `query` is. */
type Prepared<Values, Row> = (query: Query, values: Values) => Promise<QueryResult<Row>>;

/** `build` puts each value where it belongs. It is called before there are any, with a mark for each, and must name them all. */
export function prepared<Values extends object, Row>(
  build: (query: Query, values: Values) => Compilable<Row>,
): Prepared<Values, Row> {
  const statements = new WeakMap<DialectAdapter, CompiledQuery<Row>>(); // every database has its own
  return (query, values) => {
    const { adapter } = query.getExecutor();
    let statement = statements.get(adapter);
    if (!statement) {
      statement = build(query, MARKS as Values).compile();
      statements.set(adapter, statement);
    }
    return query.executeQuery({ ...statement, parameters: statement.parameters.map((each) => fill(each, values)) });
  };
}

function fill(parameter: unknown, values: object): unknown {
  return parameter instanceof Placeholder ? values[parameter.name as keyof typeof values] : parameter;
}

/** A placeholder for a value that is not known yet. Reading it is an error, because the statement would keep the value permanently. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`a prepared statement cannot depend on ${this.name}: it is built once, before the values are known`);
  }
}

const MARKS = new Proxy(
  {},
  {
    get: (_, name) => new Placeholder(String(name)),
    ownKeys: () => {
      throw new Error('a prepared statement must read each of its values by name');
    },
  },
);
