# Makes `database-….sql` and `people-….json` with Rails, Devise and devise-two-factor themselves. The README of the folder above says
# how to run it.

require "logger"
require "json"
require "securerandom"
require "active_record"
require "devise"
require "devise/orm/active_record"
require "devise-two-factor"

OUT = ARGV.fetch(0)
# Version 5 replaced the gem `attr_encrypted` by the encryption of Rails.
LEGACY = !Devise.respond_to?(:otp_encrypted_attribute_options)
# The time of the one-time codes in `people-….json`, in Unix seconds.
CODES_AT = 1_800_000_000
KEYS = {
  "otp_secret_encryption_key" => SecureRandom.hex(32),
  "primary_key" => SecureRandom.alphanumeric(32),
  "previous_primary_key" => SecureRandom.alphanumeric(32),
  "key_derivation_salt" => SecureRandom.alphanumeric(32),
  "pepper" => SecureRandom.hex(64)
}.select { |name, _| (name == "otp_secret_encryption_key") == LEGACY }

Devise.setup do |config|
  config.stretches = 10
  config.pepper = KEYS["pepper"]
  config.otp_secret_encryption_key = KEYS["otp_secret_encryption_key"]
end

# What `config/credentials.yml` has, as `bin/rails db:encryption:init` makes it. The last of several keys encrypts.
def encrypt_with(*primary_keys, digest: OpenSSL::Digest::SHA256)
  ActiveRecord::Encryption.configure(
    primary_key: primary_keys,
    deterministic_key: SecureRandom.alphanumeric(32),
    key_derivation_salt: KEYS["key_derivation_salt"],
    # SHA-256 as of `load_defaults 7.1`.
    hash_digest_class: digest
  )
end
encrypt_with(KEYS["previous_primary_key"], digest: OpenSSL::Digest::SHA1) unless LEGACY

ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ":memory:")
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table :users do |t|
    # devise_create_users
    t.string :email, null: false, default: ""
    t.string :encrypted_password, null: false, default: ""
    t.string :reset_password_token
    t.datetime :reset_password_sent_at
    t.datetime :remember_created_at
    t.string :confirmation_token
    t.datetime :confirmed_at
    t.datetime :confirmation_sent_at
    # devise_two_factor
    if LEGACY
      t.string :encrypted_otp_secret
      t.string :encrypted_otp_secret_iv
      t.string :encrypted_otp_secret_salt
    else
      t.string :otp_secret
    end
    t.integer :consumed_timestep
    t.boolean :otp_required_for_login
    t.text :otp_backup_codes
    t.timestamps null: false
  end
  add_index :users, :email, unique: true
end

class User < ActiveRecord::Base
  extend Devise::Models
  devise :two_factor_authenticatable, :two_factor_backupable
  LEGACY ? serialize(:otp_backup_codes, JSON) : serialize(:otp_backup_codes, coder: JSON)
end

people = []
person = lambda do |email, confirmed: true, two_factor: nil, active: true|
  password = SecureRandom.alphanumeric(14)
  user = User.create!(email: email, password: password, confirmed_at: confirmed ? Time.now.utc : nil)
  factor = {}
  if two_factor
    user.otp_secret = User.generate_otp_secret
    user.otp_required_for_login = active
    codes = user.generate_otp_backup_codes!
    user.save!
    user = User.find(user.id)
    factor = { code: user.otp.at(CODES_AT), recovery_codes: codes, is_confirmed: active }
  end
  people << { email: user.email, password: password }.merge(factor)
end

person.call("ada@example.com")
person.call("linus@example.com", confirmed: false, two_factor: true)
encrypt_with(KEYS["previous_primary_key"], KEYS["primary_key"]) unless LEGACY
person.call("grace@example.com", two_factor: true)
person.call("pending@example.com", two_factor: true, active: false)

connection = ActiveRecord::Base.connection
sql = +"-- Written by generate.rb.\n"
connection.select_values("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name = 'users' ORDER BY rowid").each do |statement|
  sql << statement << ";\n"
end
connection.select_all("SELECT * FROM users").each do |row|
  values = row.values.map { |value| connection.quote(value) }.join(", ")
  sql << "INSERT INTO users (#{row.keys.join(", ")}) VALUES (#{values});\n"
end
name = LEGACY ? "attr-encrypted" : "rails"
File.write("#{OUT}/database-#{name}.sql", sql)
File.write("#{OUT}/people-#{name}.json", JSON.pretty_generate(keys: KEYS, codes_at: CODES_AT, people: people) + "\n")
