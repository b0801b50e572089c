"""Plants one violation of each rule of tools/lint/proto_lint.py. The lint must find each."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "lint"))
import proto_file  # noqa: E402
import proto_lint  # noqa: E402

NAME = "proto/tarot/rules/v1/table_service.proto"
CLEAN = """// Tables.
syntax = "proto3";

package tarot.rules.v1;

import "google/protobuf/timestamp.proto";

// For players.
service TableService {
  rpc GetTable(GetTableRequest) returns (GetTableResponse);
  rpc ListTables(ListTablesRequest) returns (ListTablesResponse);
  rpc SubmitAction(SubmitActionRequest) returns (SubmitActionResponse);
  rpc WatchTable(WatchTableRequest) returns (stream WatchTableResponse);
}

message Table {
  enum State {
    STATE_UNSPECIFIED = 0;
    PLAYING = 1;  // Somebody must act.
  }
  reserved 4, 6 to 8;
  string name = 1;
  State state = 2;
  repeated uint32 cards = 3;
  oneof kind {
    google.protobuf.Timestamp create_time = 5;
  }
}

message GetTableRequest {
  // Required. Format: tables/{table}
  string name = 1;
}
message GetTableResponse { Table table = 1; }
message ListTablesRequest {
  int32 page_size = 1;
  string page_token = 2;
}
message ListTablesResponse {
  repeated Table tables = 1;
  string next_page_token = 2;
}
message SubmitActionRequest {
  // Required. A UUID.
  string request_id = 1;
}
message SubmitActionResponse {}
message WatchTableRequest {}
message WatchTableResponse {}
"""


def parse(text):
    return proto_file.parse(NAME, text)


def entries(text):
    return {key: value for key, (value, _) in parse(text).entries().items()}


class StyleTest(unittest.TestCase):
    def expect(self, rule, before, after):
        self.assertIn(before, CLEAN)
        rules = {f.rule for f in proto_lint.style(parse(CLEAN.replace(before, after)))}
        self.assertEqual(rules, {rule})

    def test_the_clean_file_is_clean(self):
        self.assertEqual(list(proto_lint.style(parse(CLEAN))), [])

    def test_each_rule(self):
        for rule, before, after in [
            ("package", "tarot.rules.v1;", "tarot.rules.v2;"),
            ("enum zero", "STATE_UNSPECIFIED = 0", "WAITING = 0"),
            ("comment", "// For players.\nservice", "service"),
            ("rpc messages", "GetTable(GetTableRequest)", "GetTable(WatchTableRequest)"),
            ("client stream", "(WatchTableRequest)", "(stream WatchTableRequest)"),
            ("pages", "  int32 page_size = 1;\n", ""),
            ("pages", "  string next_page_token = 2;\n", ""),
            ("request id", "string request_id = 1", "string id = 1"),
            ("field name", "State state = 2", "bool is_open = 2"),
            ("field name", "State state = 2", "State theState = 2"),
            ("field name", "create_time = 5", "created = 5"),
            ("field comment", "// Required. Format", "// Format"),
        ]:
            with self.subTest(rule=rule, after=after):
                self.expect(rule, before, after)

    def test_services_among_themselves_may_stream_both_ways(self):
        inner = CLEAN.replace("// For players.", "// Only services may call this service.")
        inner = inner.replace("(WatchTableRequest)", "(stream WatchTableRequest)")
        self.assertEqual(list(proto_lint.style(parse(inner))), [])


class BaselineTest(unittest.TestCase):
    def found(self, now, baseline=CLEAN):
        return [str(f) for f in proto_lint.compare([parse(now)], entries(baseline))]

    def expect(self, words, before, after):
        found = self.found(CLEAN.replace(before, after))
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_unchanged_protos_have_no_finding(self):
        self.assertEqual(self.found(CLEAN), [])

    def test_a_removed_field(self):
        self.expect("Table.name is gone", "  string name = 1;\n  State", "  State")

    def test_a_removed_field_whose_number_is_reserved(self):
        with_field = CLEAN.replace("  State state = 2;", "  State state = 2;\n  int32 seat = 7;")
        self.assertEqual(self.found(CLEAN, with_field), [])

    def test_a_nested_enum_leaves_with_the_reserved_fields_that_had_it(self):
        enum = "  enum Phase {\n    PHASE_UNSPECIFIED = 0;\n    BIDDING = 1;\n  }\n"
        before = CLEAN.replace("  reserved 4", enum + "  Phase phase = 7;\n  reserved 4")
        self.assertEqual(self.found(CLEAN, before), [])
        self.assertEqual(len(self.found(CLEAN.replace("  reserved 4, 6 to 8;\n", ""), before)), 3)
        kept = enum.replace("    BIDDING = 1;\n", "")
        still = CLEAN.replace("  reserved 4", kept + "  reserved 4")
        self.assertEqual(len(self.found(still, before)), 1)

    def test_a_renumbered_field(self):
        self.expect("Table.state was 2 State and is 9 State", "State state = 2", "State state = 9")

    def test_a_field_of_another_type(self):
        self.expect("Table.cards was 3 repeated uint32", "repeated uint32 cards", "uint32 cards")

    def test_a_removed_value_and_a_changed_rpc(self):
        self.expect("PLAYING is gone", "    PLAYING = 1;  // Somebody must act.\n", "")
        self.expect("WatchTable was", "(stream WatchTableResponse)", "(WatchTableResponse)")

    def test_a_new_field_must_be_listed(self):
        self.expect("Table.seat is new", "State state = 2;",
                    "State state = 2;\n  int32 seat = 9;")


if __name__ == "__main__":
    unittest.main()
