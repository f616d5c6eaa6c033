import { Stack } from 'aws-cdk-lib';
import { type ILogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

export interface SavedQueriesProps {
  /** The log group that the trace records of runs go to. */
  readonly logGroup: ILogGroup;
}

/** Queries that wait in the console of CloudWatch Logs Insights. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, props: SavedQueriesProps) {
    super(scope, id);
    new QueryDefinition(this, 'OneRun', {
      queryDefinitionName: `${Stack.of(this).stackName}/one run`,
      queryString: new QueryString({
        fields: ['@timestamp', '@message'],
        filterStatements: ['run_id = "put the request id here"'],
        sort: '@timestamp asc',
        limit: 10_000,
      }),
      logGroups: [props.logGroup],
    });
  }
}
